// The same Express app behind wishgate's own way to serve it.
import express from 'express';
import { createHttpServer } from '../../dist/api/http.js';

const app = express();
app.disable('x-powered-by').disable('etag');
app.get('/readyz', (_req, res) => void res.type('json').end('{"status":"ok"}'));
const { server, serve } = createHttpServer();
serve(app);
server.listen(Number(process.env.PORT), '127.0.0.1');
process.on('SIGTERM', () => process.exit(0));
