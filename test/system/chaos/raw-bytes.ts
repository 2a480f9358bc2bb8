import type { Chance } from './hostile.ts';

/** What is no HTTP, or HTTP that two readers could understand differently. */
export function rawBytes({ number, pick, hostile }: Chance, whole: Buffer): Buffer {
  const start = 'POST /graphql HTTP/1.1\r\nhost: fuzz\r\ncontent-type: application/json\r\n';
  const body = '{"query":"{ store { pid } }"}';
  const smuggled = 'GET /healthz HTTP/1.1\r\nhost: fuzz\r\n\r\n';
  const made = pick<() => string | Buffer>([
    () => `${start}content-length: 5\r\ncontent-length: 50\r\n\r\n${body}`,
    () => `${start}content-length: ${body.length}\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n${smuggled}`,
    () => `${start}transfer-encoding: chunked, identity\r\n\r\n0\r\n\r\n${smuggled}`,
    () =>
      `${start}transfer-encoding:\tchunked\r\n\r\n${pick(['zz', 'ffffffffffffffff', '-1', '5;x=y', '0x5'])}\r\nabcde\r\n0\r\n\r\n`,
    () =>
      `${start}content-length: ${pick(['-1', '1e3', '99999999999999999999', '+5', ' ', '0x10'])}\r\n\r\n${body}`,
    () => `${start}content-length: 1000\r\n\r\n${body}`,
    () => `${start}x-long: ${'y'.repeat(number(40_000))}\r\n\r\n`,
    () => `${start}${Array.from({ length: number(3_000) }, (_, n) => `x-${n}: 1\r\n`).join('')}\r\n`,
    () => smuggled.repeat(1 + number(40)),
    () => Buffer.concat(Array.from({ length: 1 + number(5) }, () => whole)),
    () => whole.subarray(0, number(whole.length)),
    () => {
      const broken = Buffer.from(whole.subarray(0, 4_000));
      for (let n = 0; n < 1 + number(8); n += 1) broken[number(broken.length)] = number(256);
      return broken;
    },
    () => `GET /${'a'.repeat(number(30_000))} HTTP/1.1\r\nhost: fuzz\r\n\r\n`,
    () => `GET /api/v3/%00%ff%2e%2e/..\\..//..;/x HTTP/1.1\r\nhost: fuzz\r\n\r\n`,
    () => `GET /graphql\u0000 HTTP/1.1\r\nhost: a\r\nhost: b\r\n\r\n`,
    () =>
      `${pick(['HEAD', 'OPTIONS', 'TRACE', 'CONNECT', 'PUT', 'DELETE', 'PATCH', 'XYZ', 'get'])} /api/v3/lists/create HTTP/${pick(['1.1', '1.0', '2.0', '0.9'])}\r\nhost: fuzz\r\n\r\n`,
    () => 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n',
    () => Buffer.from(`\x16\x03\x01\x02\x00${(JSON.stringify(hostile()) ?? '').slice(0, 2_000)}`, 'latin1'),
    () => `${start}expect: 100-continue\r\ncontent-length: ${body.length}\r\n\r\n${body}`,
    () => `${start}connection: upgrade\r\nupgrade: websocket\r\ncontent-length: 0\r\n\r\n`,
    () => `${start}bad header\r\n: x\r\n folded\r\nx\u0000y: 1\r\n\r\n`,
  ])();
  return Buffer.from(made as string);
}
