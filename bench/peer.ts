// The peer of bench/reads.ts: the same read written by hand the usual way, with Express and pg, without GraphQL, limits or logs.
import express from 'express';
import pg from 'pg';

const pool = new pg.Pool({ connectionString: process.env['DATABASE_URL'], max: 20 });
const app = express();
app.use(express.urlencoded());

const SHOPPER = { name: 'shopper', text: 'SELECT regid FROM shopper WHERE pid = $1 AND regid = $2' };
const LISTS = {
  name: 'lists',
  text: `
    SELECT l.*, (SELECT coalesce(json_agg(x ORDER BY x.seq DESC), '[]') FROM (
      SELECT i.*, p.stk FROM item i LEFT JOIN product p ON p.pid = i.pid AND p.epi = i.epi
      WHERE i.pid = l.pid AND i.lid = l.lid ORDER BY i.seq DESC LIMIT 10) x) AS listcontents
    FROM list l WHERE l.pid = $1 AND l.regid = $2 AND l.st = 1 ORDER BY l.seq DESC`,
};

app.post('/api/v3/lists/fetch-lists', async (req, res) => {
  const { regid } = req.body as { regid: string };
  const values = [req.query['pid'], regid];
  const { rowCount } = await pool.query({ ...SHOPPER, values });
  if (rowCount === 0) return void res.status(401).json({ error: true });
  res.json((await pool.query({ ...LISTS, values })).rows);
});
app.get('/readyz', (_req, res) => void res.json({ status: 'ready' }));
app.listen(Number(process.env['PORT']), '127.0.0.1');
