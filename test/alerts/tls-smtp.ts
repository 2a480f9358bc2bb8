import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import tls from 'node:tls';
import { SMTPServer } from 'smtp-server';
import { readMail } from './receivers.ts';
import type { ReceivedMail } from './receivers.ts';

// A certificate of nobody: it says `localhost`, and only tests trust it.
const KEY = `-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgmvwN6IgwFqOk+Vzf
U4wLxV9wFuROBA84vh31gspVBHihRANCAAQpJxsTZq8y7A0c9SgfVJdNeItP4/wY
e7Ek8PoHFKs+y/+tlWoPQKohL6H5lKMTYg25FvqiSiDzEoMRJ2tlnFwQ
-----END PRIVATE KEY-----`;
const CERTIFICATE = `-----BEGIN CERTIFICATE-----
MIIBlTCCATugAwIBAgIUfVVb6lg1BepM8WbNhronk/Q9XIowCgYIKoZIzj0EAwIw
FDESMBAGA1UEAwwJbG9jYWxob3N0MCAXDTI2MTExNjEzMzkyMVoYDzIxMjYxMDIz
MTMzOTIxWjAUMRIwEAYDVQQDDAlsb2NhbGhvc3QwWTATBgcqhkjOPQIBBggqhkjO
PQMBBwNCAAQpJxsTZq8y7A0c9SgfVJdNeItP4/wYe7Ek8PoHFKs+y/+tlWoPQKoh
L6H5lKMTYg25FvqiSiDzEoMRJ2tlnFwQo2kwZzAdBgNVHQ4EFgQUB6BDvwSOYXLD
lsStFlYaHCXpnRwwHwYDVR0jBBgwFoAUB6BDvwSOYXLDlsStFlYaHCXpnRwwDwYD
VR0TAQH/BAUwAwEB/zAUBgNVHREEDTALgglsb2NhbGhvc3QwCgYIKoZIzj0EAwID
SAAwRQIhAMiJ1J1GAuEN61hqr5iPBjmHir/5cw4KS3eZ3AbiXA0bAiAw+PhUnW6j
eT9tZJ16bh0LVwi066t/jFY4t+T/sQM5AA==
-----END CERTIFICATE-----`;

/** Lets this test file, and nothing that is shipped, trust the certificate of its mail servers; answers how to undo that. */
export function trustTestCertificate(): () => void {
  const create = tls.createSecureContext;
  tls.createSecureContext = (options) => create({ ca: [CERTIFICATE], ...options });
  return () => (tls.createSecureContext = create);
}

type Refusal = { code: number; text: string } | null;

/** A mail server on loopback that wants TLS and a login. */
export type TlsSmtp = {
  /** What a store types to use it. */
  input: { host: string; port: number; security: 'tls' | 'starttls'; user: string; password: string };
  received: ReceivedMail[];
  /** Connections that came, whatever became of them. */
  connections: number;
  refuseFrom: (from: string) => Refusal;
  refuse: (to: string) => Refusal;
  close: () => Promise<void>;
};

const errorOf = (refusal: Refusal) =>
  refusal && Object.assign(new Error(refusal.text), { responseCode: refusal.code });

/** Starts one for a user; `password` is what it takes. */
export async function startTlsSmtp(
  security: 'tls' | 'starttls' = 'starttls',
  password = 'correct horse',
): Promise<TlsSmtp> {
  const smtp: TlsSmtp = {
    input: { host: 'localhost', port: 0, security, user: 'shop', password },
    received: [],
    connections: 0,
    refuseFrom: () => null,
    refuse: () => null,
    close: async () => undefined,
  };
  const server = new SMTPServer({
    secure: security === 'tls',
    key: KEY,
    cert: CERTIFICATE,
    disableReverseLookup: true,
    onAuth(auth, session, callback) {
      const isRight = session.secure && auth.username === 'shop' && auth.password === password;
      // Some servers do say what was typed.
      if (isRight) callback(null, { user: 'shop' });
      else callback(new Error(`no ${auth.username} ${auth.password} at db.internal`));
    },
    onMailFrom: (address, _session, callback) => callback(errorOf(smtp.refuseFrom(address.address))),
    onRcptTo: (address, _session, callback) => callback(errorOf(smtp.refuse(address.address))),
    onData(stream, session, callback) {
      void readMail(stream, session).then((mail) => {
        smtp.received.push(mail);
        callback();
      }, callback);
    },
  });
  server.server.on('connection', () => (smtp.connections += 1));
  server.on('error', () => undefined);
  server.listen(0, '127.0.0.1');
  await once(server.server, 'listening');
  smtp.input.port = (server.server.address() as AddressInfo).port;
  smtp.close = () => new Promise((resolve) => server.close(() => resolve()));
  return smtp;
}

/** What sets a store's mail server, over GraphQL. */
export const SET_MAIL_SERVER =
  'mutation ($input: MailServerInput!) { setMailServer(input: $input) { host port security user problem } }';
