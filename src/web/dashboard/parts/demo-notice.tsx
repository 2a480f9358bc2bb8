/** Says at once what is otherwise in the demo store, before somebody tries it in vain. */
export function DemoNotice() {
  return (
    <aside class="notice" aria-label="About the demo store">
      <span>
        <strong>Demo store:</strong> nothing leaves this machine. Mails and text messages become files, which
        the <a href="/demo">demo shop</a> shows; webhooks and a mail server of its own are refused, because
        they would call out. Everything else works.
      </span>
    </aside>
  );
}
