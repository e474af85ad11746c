import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;
import software.amazon.dynamodb.services.local.main.ServerRunner;

/** DynamoDB Local on the loopback interface: it has no option for that, and by itself it listens on every interface. */
class LoopbackDynamoDB {
    public static void main(String[] options) throws Exception {
        var local = ServerRunner.createServerFromCommandLineArgs(options);
        var field = local.getClass().getDeclaredField("server");
        field.setAccessible(true);
        for (var connector : ((Server) field.get(local)).getConnectors()) {
            ((ServerConnector) connector).setHost("127.0.0.1");
        }
        local.start();
        System.out.println("listening on 127.0.0.1");
        local.join();
    }
}
