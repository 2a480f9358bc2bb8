import { createHmac, randomBytes } from 'node:crypto';
import { accountRegid, publicIdOf } from '../../src/shoppers/identity.rules.ts';

test.each([32, 1, 64])('an identity is the HMAC of its parts, with a key of %i bytes', (length) => {
  const secret = randomBytes(length);
  const macOf = (...parts: string[]) =>
    createHmac('sha256', secret).update(JSON.stringify(parts)).digest('base64url');
  for (const name of ['', 'jane@example.com', 'jürgen@exämple.com', 'x'.repeat(300)]) {
    expect(accountRegid(secret, name)).toBe(macOf('account', name));
    expect(publicIdOf(secret, 'user', name)).toBe(macOf('user', name).slice(0, 22));
  }
});
