// The limit: what Node's own server can do.
import { createServer } from 'node:http';

createServer((_req, res) => {
  res.setHeader('content-type', 'application/json; charset=utf-8');
  res.end('{"status":"ok"}');
}).listen(Number(process.env.PORT), '127.0.0.1');
process.on('SIGTERM', () => process.exit(0));
