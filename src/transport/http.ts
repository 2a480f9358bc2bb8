import { IncomingMessage, ServerResponse, createServer } from 'node:http';
import type { RequestListener, Server } from 'node:http';
import type { Express } from 'express';

/** A server that can listen before it knows what to answer with: links carry its port, and what hands them out is made next. */
export type HttpServer = {
  server: Server;
  /** Gives it the app; requests that came before have waited and are answered now. */
  serve: (app: Express) => void;
};

/**
 * Express swaps the prototype of every request and response, which throws away V8's optimised shapes. Messages that are
 * born with Express's prototypes make that a no-op: 7,100 against 3,100 requests/s on a bare route.
 */
export function createHttpServer(): HttpServer {
  function Message(this: IncomingMessage, ...args: ConstructorParameters<typeof IncomingMessage>) {
    return Reflect.construct(IncomingMessage, args, Message) as IncomingMessage;
  }
  function Answer(this: ServerResponse, ...args: ConstructorParameters<typeof ServerResponse>) {
    return Reflect.construct(ServerResponse, args, Answer) as ServerResponse;
  }
  Message.prototype = IncomingMessage.prototype;
  Answer.prototype = ServerResponse.prototype;
  const server = createServer({
    IncomingMessage: Message as never,
    ServerResponse: Answer as never,
    requestTimeout: 30_000,
    headersTimeout: 15_000,
  });
  server.keepAliveTimeout = 65_000;
  const early: Parameters<RequestListener>[] = [];
  const wait: RequestListener = (req, res) => void early.push([req, res]);
  server.on('request', wait);
  return {
    server,
    serve(app) {
      Message.prototype = app.request;
      Answer.prototype = app.response;
      server.off('request', wait).on('request', app);
      for (const [req, res] of early.splice(0)) app(req as never, res as never);
    },
  };
}
