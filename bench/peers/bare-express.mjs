// Express as it comes.
import express from 'express';

const app = express();
app.disable('x-powered-by').disable('etag');
app.get('/readyz', (_req, res) => void res.type('json').end('{"status":"ok"}'));
app.listen(Number(process.env.PORT), '127.0.0.1');
process.on('SIGTERM', () => process.exit(0));
