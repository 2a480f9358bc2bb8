/** An e-mail address that its owner recognises and nobody else can write to: `j***@example.com`. */
export function maskEmail(email: string): string {
  const at = email.lastIndexOf('@');
  return at < 1 ? '***' : `${String.fromCodePoint(email.codePointAt(0)!)}***${email.slice(at)}`;
}
