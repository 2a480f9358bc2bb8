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
 * Express swaps the prototype of every request and response, which throws away V8's optimised shapes. Messages of classes whose prototypes
 * are the app's own make that a no-op: 11,000 against 4,500 requests/s on a bare route. They must be classes: a function that returns what
 * `Reflect.construct` made is slower than Express as it is (2,700).
 */
export function createHttpServer(): HttpServer {
  /* eslint-disable no-restricted-syntax -- V8 gives fast shapes to what classes make */
  class Message extends IncomingMessage {}
  class Answer extends ServerResponse {}
  /* eslint-enable no-restricted-syntax */
  const server = createServer({
    IncomingMessage: Message,
    ServerResponse: Answer,
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
      Object.setPrototypeOf(Message.prototype, app.request);
      Object.setPrototypeOf(Answer.prototype, app.response);
      app.request = Message.prototype as typeof app.request;
      app.response = Answer.prototype as typeof app.response;
      server.off('request', wait).on('request', app);
      for (const [req, res] of early.splice(0)) app(req as never, res as never);
    },
  };
}
