import { SaveSettingsDocument, SettingsDocument } from '../../generated/dashboard.ts';
import type { StoreSettingsFragment, UpdateStoreInput } from '../../generated/dashboard.ts';
import { formatMoment, linesOf } from '../format.ts';
import { ApiKeys } from '../parts/api-keys.tsx';
import { Badge, Loaded } from '../parts/feedback.tsx';
import { NumberField, Switch, TextArea, TextField } from '../parts/fields.tsx';
import { SaveForm, useForm } from '../parts/form.tsx';
import { Card, PageHead } from '../parts/layout.tsx';
import { PacingCard } from '../parts/pacing.tsx';
import { useQuery, useSession } from '../session.ts';

type Draft = {
  name: string;
  listTypes: string;
  customItems: boolean;
  shareUrl: string;
  doubleOptIn: boolean;
  defaultRegion: string;
  restoreDays: string;
  allowedOrigins: string;
};

const draftOf = (store: StoreSettingsFragment): Draft => ({
  name: store.name,
  listTypes: store.listTypes.join('\n'),
  customItems: store.customItems,
  shareUrl: store.shareUrl ?? '',
  doubleOptIn: store.doubleOptIn,
  defaultRegion: store.defaultRegion ?? '',
  restoreDays: String(store.restoreDays),
  allowedOrigins: store.allowedOrigins.join('\n'),
});

const inputOf = (draft: Draft): UpdateStoreInput => ({
  name: draft.name,
  listTypes: linesOf(draft.listTypes),
  customItems: draft.customItems,
  shareUrl: draft.shareUrl.trim() || null,
  doubleOptIn: draft.doubleOptIn,
  defaultRegion: draft.defaultRegion.trim() || null,
  restoreDays: Number(draft.restoreDays),
  allowedOrigins: linesOf(draft.allowedOrigins),
});

function SettingsForm({
  store,
  onSaved,
}: {
  store: StoreSettingsFragment;
  onSaved: (store: StoreSettingsFragment) => void;
}) {
  const { run, notify, rename } = useSession();
  const form = useForm({
    saved: draftOf(store),
    inputOf,
    save: async (input) => {
      const { updateStore } = await run(SaveSettingsDocument, { input });
      rename(updateStore.name);
      onSaved(updateStore);
      notify('The settings are saved.');
    },
  });
  return (
    <SaveForm form={form} label="Save settings">
      <div class="columns">
        <div>
          <TextField label="Store name" required maxLength={100} {...form.text('name')} />
          <TextField
            label="Share URL"
            {...form.text('shareUrl')}
            placeholder="https://shop.example/list/{lid}"
            hint="What a shared list opens; {lid} stands for the list id. Empty: this service's own page."
          />
          <TextField
            label="Default region"
            {...form.text('defaultRegion')}
            placeholder="DE"
            hint="Country whose national phone numbers are understood. Empty: each needs its country code."
          />
          <NumberField
            label="Days to undo a deletion"
            required
            min={0}
            max={365}
            {...form.text('restoreDays')}
            hint="How long shoppers can bring back deleted lists and items. 0: they are gone at once."
          />
          <Switch
            label="Custom items"
            hint="Shoppers may add items that are not in the catalogue."
            {...form.check('customItems')}
          />
          <Switch
            label="Double opt-in"
            hint="A new subscriber must confirm by a link before any alert is sent."
            {...form.check('doubleOptIn')}
          />
        </div>
        <div>
          <TextArea
            label="List types"
            rows={4}
            {...form.text('listTypes')}
            hint="Beyond wl and sfl, one a line: registry, for example."
          />
          <TextArea
            label="Allowed origins"
            rows={4}
            {...form.text('allowedOrigins')}
            hint="Shop pages that may call from a browser, one a line, such as https://shop.example. Empty: any."
          />
        </div>
      </div>
    </SaveForm>
  );
}

/** What a store can set about itself, and its keys. */
export function SettingsPage() {
  const settings = useQuery(SettingsDocument, {});
  return (
    <>
      <PageHead title="Settings" />
      <Loaded query={settings} lines={8}>
        {({ store }) => (
          <>
            <Card
              title="Store"
              note={
                <>
                  <span class="code">{store.pid}</span> · since {formatMoment(store.cts)}
                </>
              }
              aside={
                <Badge tone={store.inventoryManaged ? 'good' : 'warn'}>
                  {store.inventoryManaged ? 'inventory managed' : 'inventory not managed: no alerts'}
                </Badge>
              }
            >
              <SettingsForm store={store} onSaved={(saved) => settings.replace({ store: saved })} />
            </Card>
            <PacingCard store={store} onSaved={(saved) => settings.replace({ store: saved })} />
            <ApiKeys keys={store.apiKeys} onChanged={settings.reload} />
          </>
        )}
      </Loaded>
    </>
  );
}
