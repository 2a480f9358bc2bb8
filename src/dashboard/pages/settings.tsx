import { SaveSettingsDocument, SettingsDocument } from '../../generated/dashboard.ts';
import type { StoreSettingsFragment, UpdateStoreInput } from '../../generated/dashboard.ts';
import { changedFields, useDraft } from '../draft.ts';
import { formatMoment, linesOf } from '../format.ts';
import { ApiKeys } from '../parts/api-keys.tsx';
import { Badge, Failure, Loaded } from '../parts/feedback.tsx';
import { Switch, TextArea, TextField } from '../parts/fields.tsx';
import { Card, PageHead } from '../parts/layout.tsx';
import { PacingCard } from '../parts/pacing.tsx';
import { useAction, useQuery, useSession } from '../session.ts';

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
  const saved = draftOf(store);
  const { draft, set, settle } = useDraft(saved);
  const save = useAction(async () => {
    const input = changedFields(inputOf(draft), inputOf(saved));
    const { updateStore } = await run(SaveSettingsDocument, { input });
    settle();
    rename(updateStore.name);
    onSaved(updateStore);
    notify('The settings are saved.');
  });
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        void save.start();
      }}
    >
      <div class="columns">
        <div>
          <TextField
            label="Store name"
            required
            maxLength={100}
            value={draft.name}
            onValue={(name) => set({ name })}
          />
          <TextField
            label="Share URL"
            value={draft.shareUrl}
            onValue={(shareUrl) => set({ shareUrl })}
            placeholder="https://shop.example/list/{lid}"
            hint="What a shared list opens; {lid} stands for the list id. Empty: this service's own page."
          />
          <TextField
            label="Default region"
            value={draft.defaultRegion}
            onValue={(defaultRegion) => set({ defaultRegion })}
            placeholder="DE"
            hint="Country whose national phone numbers are understood. Empty: each needs its country code."
          />
          <TextField
            label="Days to undo a deletion"
            type="number"
            required
            min="0"
            max="365"
            step="1"
            inputMode="numeric"
            value={draft.restoreDays}
            onValue={(restoreDays) => set({ restoreDays })}
            hint="How long shoppers can bring back deleted lists and items. 0: they are gone at once."
          />
          <Switch
            label="Custom items"
            hint="Shoppers may add items that are not in the catalogue."
            checked={draft.customItems}
            onChange={(customItems) => set({ customItems })}
          />
          <Switch
            label="Double opt-in"
            hint="A new subscriber must confirm by a link before any alert is sent."
            checked={draft.doubleOptIn}
            onChange={(doubleOptIn) => set({ doubleOptIn })}
          />
        </div>
        <div>
          <TextArea
            label="List types"
            rows={4}
            value={draft.listTypes}
            onValue={(listTypes) => set({ listTypes })}
            hint="Beyond wl and sfl, one a line: registry, for example."
          />
          <TextArea
            label="Allowed origins"
            rows={4}
            value={draft.allowedOrigins}
            onValue={(allowedOrigins) => set({ allowedOrigins })}
            hint="Shop pages that may call from a browser, one a line, such as https://shop.example. Empty: any."
          />
        </div>
      </div>
      <Failure error={save.error} />
      <div class="buttons">
        <button type="submit" disabled={save.isBusy} aria-busy={save.isBusy}>
          Save settings
        </button>
      </div>
    </form>
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
