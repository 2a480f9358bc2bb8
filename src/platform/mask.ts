/** The owner recognizes the address, but nobody else can write to it: `j***@example.com`. */
export function maskEmail(email: string): string {
  const at = email.lastIndexOf('@');
  return at < 1 ? '***' : `${String.fromCodePoint(email.codePointAt(0)!)}***${email.slice(at)}`;
}
