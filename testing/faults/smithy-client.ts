/** An SDK client, as far as faults need it: any client whose commands run through a middleware stack. */
export interface FaultyClient {
  readonly middlewareStack: {
    add(middleware: never, options: never): void;
    identify(): string[];
  };
}

/** A request on the wire, after it was signed. */
export interface WireRequest {
  readonly headers: Readonly<Record<string, string>>;
  readonly protocol: string;
  readonly hostname: string;
  readonly port?: number;
}

/** A reply on the wire, before it is read. */
export interface WireReply {
  readonly response: { readonly statusCode: number; readonly headers: Record<string, string>; readonly body?: unknown };
}

/** What a command gives back. */
export interface CommandResult {
  readonly output: Record<string, unknown>;
}

/** The SDK's context of a command, as passed to middleware. */
export interface CommandContext {
  readonly clientName?: string;
  readonly commandName?: string;
  readonly __smithy_context?: { readonly abortSignal?: AbortSignal };
}

/** The operation of a command, such as `PutItem`. */
export const operationOf = (context: CommandContext): string => (context.commandName ?? '').replace(/Command$/, '');

/** The service of a client, such as `DynamoDB`. */
export const serviceOf = (context: CommandContext): string => (context.clientName ?? '').replace(/Client$/, '');

/** Drains an unread reply, so that its connection is free again. */
export function discard({ response }: WireReply): void {
  const body = response.body as { resume?: () => void; cancel?: () => Promise<void> } | undefined;
  body?.resume?.();
  void body?.cancel?.().catch(() => undefined);
}
