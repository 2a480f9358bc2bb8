import { invoke, lidOf } from './call.ts';
import type { Callback, ListName } from './call.ts';
import type { Tools } from './more.ts';

type Mail = Partial<Record<'lid' | 'toEmailId' | 'toemail' | 'fromName' | 'fromname' | 'note', string>>;

/** Without a list, these functions share the shopper's default list. */
export function createSharing({ client, tag, older }: Tools) {
  /** A list's id, or its name, by which the public product's older functions call it. */
  const lidFor = async (list: ListName | null | undefined): Promise<string> => {
    if (!list) return (await older.defaultList()).lid;
    const lid = lidOf(list);
    return (await client.fetchLists()).find(({ lname }) => lname === lid)?.lid ?? lid;
  };
  const linkTo = (lid: string): string => {
    const values: Record<string, string> = { '{lid}': lid, '{pid}': tag.pid };
    const link = tag.template.replace(/\{[lp]id\}/g, (name) => encodeURIComponent(values[name]!));
    return new URL(link, location.href).href;
  };
  const share = async (list: ListName | null): Promise<{ url: string; lid: string }> => {
    const lid = await lidFor(list);
    await client.markListPublic(lid);
    return { url: linkTo(lid), lid };
  };
  const sendListViaEmail = async ({ lid, toEmailId, toemail, fromName, fromname, note }: Mail) =>
    client.sendListViaEmail({
      lid: await lidFor(lid),
      toemail: toEmailId ?? toemail ?? '',
      fromname: fromName ?? fromname ?? '',
      note,
    });
  /** `ok` receives the URL and the list id. */
  const shareByLink = async (list: ListName | null, ok?: Callback): Promise<string> => {
    const { url, lid } = await share(list);
    invoke(ok, url, lid);
    return url;
  };

  return {
    sendListViaEmail,
    sendEmailWishList: (_ok: Callback, toemail: string, fromname: string, note?: string, lid?: string) =>
      sendListViaEmail({ toemail, fromname, note, lid }),
    shareByLink,
    /** Leads the window that the page opened to the platform's page. */
    shareList: async (
      view: Window | null,
      ...given: [ListName | null, fromname: string, template: string, medium: string, ...unknown[]]
    ) => {
      const [list, fromname, template, medium, ...rest] = given;
      const note = rest.find((value) => typeof value === 'string') ?? '';
      const { url, lid } = await share(list);
      const report = await client.reportShare({ lid, medium, fromname: fromname || undefined });
      const values: Record<string, string> = { shareurl: url, note, platform: medium };
      const address = template.replace(/\{{2,3}\s*(\w+)\s*\}{2,3}/g, (_all, name: string) =>
        encodeURIComponent(values[name] ?? ''),
      );
      if (view) {
        view.opener = null;
        view.location.href = address;
      }
      return { ...report, url };
    },
  };
}
