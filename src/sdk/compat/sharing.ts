import type { Wishgate } from '../../../packages/client/src/wishgate.ts';
import { callable, done, lidOf } from './call.ts';
import type { Callback, ListName } from './call.ts';

type Mail = Partial<Record<'lid' | 'toEmailId' | 'toemail' | 'fromName' | 'fromname' | 'note', string>>;

/** Without a list, these functions share the shopper's default list. */
export function createSharing(
  client: Wishgate,
  linkTo: (lid: string) => string,
  defaultLid: () => Promise<string>,
) {
  const lidFor = async (list: ListName | null | undefined): Promise<string> =>
    list ? lidOf(list) : defaultLid();

  const share = async (list: ListName | null): Promise<{ url: string; lid: string }> => {
    const lid = await lidFor(list);
    await client.markListPublic(lid);
    return { url: linkTo(lid), lid };
  };
  const mail = async ({ lid, toEmailId, toemail, fromName, fromname, note }: Mail) =>
    client.sendListViaEmail({
      lid: await lidFor(lid),
      toemail: toEmailId ?? toemail ?? '',
      fromname: fromName ?? fromname ?? '',
      note,
    });

  return {
    sendListViaEmail: callable(mail),
    /** `ok` receives the URL and the list id. */
    generateSharedListURL: (list: ListName | null, ok?: Callback, err?: Callback) => {
      let lid = '';
      const tell = (url: string): void => {
        if (typeof ok === 'function') (ok as (url: string, lid: string) => void)(url, lid);
      };
      const run = async (): Promise<string> => {
        const shared = await share(list);
        lid = shared.lid;
        return shared.url;
      };
      return done(run, tell, err);
    },
    /** Opens the platform's page. A note and callbacks follow; a single callback is for errors. */
    shareListSocial: (
      ...given: [ListName | null, fromname: string, template: string, medium: string, ...unknown[]]
    ) => {
      const [list, fromname, template, medium, ...rest] = given;
      const note = rest.find((value) => typeof value === 'string') ?? '';
      const [err, ok] = rest.filter((value) => typeof value === 'function').reverse();
      const run = async () => {
        // The window opens at the click, because browsers block it later.
        const view = window.open('', '_blank');
        try {
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
        } catch (error) {
          view?.close();
          throw error;
        }
      };
      return done(run, ok, err);
    },
  };
}
