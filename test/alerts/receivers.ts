import { once } from 'node:events';
import { createServer } from 'node:http';
import type { IncomingHttpHeaders, Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import PostalMime from 'postal-mime';
import type { Email } from 'postal-mime';
import { SMTPServer } from 'smtp-server';
import type { SMTPServerDataStream, SMTPServerSession } from 'smtp-server';

/** A mail as it arrived. */
export type ReceivedMail = { to: string; from: string; mail: Email; raw: string };

/** A mail server on loopback that keeps what it gets. */
export type TestSmtp = {
  url: string;
  received: ReceivedMail[];
  /** Called with the recipient; an answer other than null is the refusal. */
  refuse: (to: string) => { code: number; text: string } | null;
  /** The same at the end of the mail. */
  refuseData: (to: string) => { code: number; text: string } | null;
  /** What the answer to a whole mail waits for. */
  beforeAnswer: () => Promise<void>;
  close: () => Promise<void>;
};

/** A mail to a test server, once it has come whole. */
export async function readMail(
  stream: SMTPServerDataStream,
  { envelope }: SMTPServerSession,
): Promise<ReceivedMail> {
  const raw = Buffer.concat(await stream.toArray()).toString('utf8');
  const { mailFrom, rcptTo } = envelope;
  const from = mailFrom ? mailFrom.address : '';
  return { to: rcptTo[0]!.address, from, mail: await PostalMime.parse(raw), raw };
}

/** Fills the object that a file already has, or a new one. */
export async function startSmtp(smtp = {} as TestSmtp): Promise<TestSmtp> {
  smtp.received = [];
  smtp.refuse = smtp.refuseData = () => null;
  smtp.beforeAnswer = async () => undefined;
  const errorOf = (refusal: { code: number; text: string } | null) =>
    refusal && Object.assign(new Error(refusal.text), { responseCode: refusal.code });
  const server = new SMTPServer({
    disabledCommands: ['AUTH', 'STARTTLS'],
    disableReverseLookup: true,
    onRcptTo(address, _session, callback) {
      callback(errorOf(smtp.refuse(address.address)));
    },
    onData(stream, session, callback) {
      const take = async (mail: ReceivedMail): Promise<void> => {
        const refusal = smtp.refuseData(mail.to);
        if (refusal) return callback(errorOf(refusal));
        smtp.received.push(mail);
        await smtp.beforeAnswer();
        callback();
      };
      // A sender that is killed in the middle of a mail has not sent it.
      void readMail(stream, session).then(take, callback);
    },
  });
  server.on('error', () => undefined);
  server.listen(0, '127.0.0.1');
  await once(server.server, 'listening');
  smtp.url = `smtp://127.0.0.1:${(server.server.address() as AddressInfo).port}`;
  smtp.close = () => new Promise((resolve) => server.close(() => resolve()));
  return smtp;
}

/** A request as it arrived. */
export type ReceivedRequest = { method: string; path: string; headers: IncomingHttpHeaders; body: string };

type HttpAnswer = { status: number; headers?: Record<string, string>; body?: string };

/** An HTTP server on loopback that keeps what it gets. */
export type TestHttp = {
  url: string;
  port: number;
  received: ReceivedRequest[];
  /** How to answer the next request. */
  answer: (request: ReceivedRequest) => HttpAnswer | Promise<HttpAnswer>;
  close: () => Promise<void>;
};

/** A provider's answer to an SMS that it takes. */
export const accept = (): HttpAnswer => ({ status: 201, body: '{"sid":"SM1"}' });

/** Fills the object that a file already has, or a new one. */
export async function startHttp(http = {} as TestHttp): Promise<TestHttp> {
  http.received = [];
  http.answer = accept;
  const server: Server = createServer((req, res) => {
    const chunks: Buffer[] = [];
    req.on('data', (chunk: Buffer) => chunks.push(chunk));
    req.on('end', async () => {
      const request = {
        method: req.method!,
        path: req.url!,
        headers: req.headers,
        body: Buffer.concat(chunks).toString('utf8'),
      };
      http.received.push(request);
      const { status, headers = {}, body = '' } = await http.answer(request);
      res.writeHead(status, headers).end(body);
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  http.port = (server.address() as AddressInfo).port;
  http.url = `http://127.0.0.1:${http.port}`;
  http.close = async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  };
  return http;
}
