import { timedRequestHandler } from '../../shared/adapters/aws/request-handler.ts';

/** A requestHandler that sends every request and loses the replies selected by `loses`, like a broken connection. */
export function losingHandler(loses: (operation: string) => boolean) {
  const inner = timedRequestHandler();
  return {
    handle: async (...[request, options]: Parameters<typeof inner.handle>): ReturnType<typeof inner.handle> => {
      const reply = await inner.handle(request, options);
      if (!loses((request.headers['x-amz-target'] ?? '').split('.')[1] ?? '')) return reply;
      (reply.response.body as { resume(): void }).resume();
      throw Object.assign(new Error('socket hang up'), { code: 'ECONNRESET', name: 'TimeoutError' });
    },
    destroy: () => inner.destroy(),
  };
}
