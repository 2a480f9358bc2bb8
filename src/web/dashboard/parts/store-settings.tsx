import { SaveSettingsDocument } from '../../../generated/dashboard.ts';
import type { StoreSettingsFragment, UpdateStoreInput } from '../../../generated/dashboard.ts';
import { formatMoment, linesOf } from '../format.ts';
import { useSession } from '../session.ts';
import { Badge } from './feedback.tsx';
import { NumberField, Switch, TextArea, TextField } from './fields.tsx';
import { SaveForm, useForm } from './form.tsx';
import type { Form } from './form.tsx';
import { Card } from './layout.tsx';

type Props = { store: StoreSettingsFragment; onSaved: (store: StoreSettingsFragment) => void };

/** A form over some of a store's settings. */
export function useStoreForm<Fields extends object>(
  { store, onSaved }: Props,
  draftOf: (store: StoreSettingsFragment) => Fields,
  inputOf: (fields: Fields) => UpdateStoreInput,
  done: string,
): Form<Fields> {
  const { run, notify, rename } = useSession();
  return useForm({
    saved: draftOf(store),
    inputOf,
    save: async (input) => {
      const { updateStore } = await run(SaveSettingsDocument, { input });
      rename(updateStore.name);
      onSaved(updateStore);
      notify(done);
    },
  });
}

const generalOf = (store: StoreSettingsFragment) => ({
  name: store.name,
  doubleOptIn: store.doubleOptIn,
  defaultRegion: store.defaultRegion ?? '',
  allowedOrigins: store.allowedOrigins.join('\n'),
});

/** Who the store is, and who may call for it. */
export function GeneralCard(props: Props) {
  const { store } = props;
  const form = useStoreForm(
    props,
    generalOf,
    (draft) => ({
      name: draft.name,
      doubleOptIn: draft.doubleOptIn,
      defaultRegion: draft.defaultRegion.trim() || null,
      allowedOrigins: linesOf(draft.allowedOrigins),
    }),
    'The settings are saved.',
  );
  return (
    <Card
      title="General"
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
      <SaveForm form={form} label="Save settings">
        <div class="columns">
          <div>
            <TextField label="Store name" required maxLength={100} {...form.text('name')} />
            <TextField
              label="Default region"
              {...form.text('defaultRegion')}
              placeholder="DE"
              hint="Country whose national phone numbers are understood. Empty: each needs its country code."
            />
            <Switch
              label="Double opt-in"
              hint="A new subscriber must confirm by a link before any alert is sent."
              {...form.check('doubleOptIn')}
            />
          </div>
          <TextArea
            label="Allowed origins"
            rows={5}
            {...form.text('allowedOrigins')}
            hint="Shop pages that may call from a browser, one a line, such as https://shop.example. Empty: any."
          />
        </div>
      </SaveForm>
    </Card>
  );
}

const listsOf = (store: StoreSettingsFragment) => ({
  listTypes: store.listTypes.join('\n'),
  customItems: store.customItems,
  shareUrl: store.shareUrl ?? '',
  restoreDays: String(store.restoreDays),
});

/** What shoppers can do with their lists. */
export function ListsCard(props: Props) {
  const form = useStoreForm(
    props,
    listsOf,
    (draft) => ({
      listTypes: linesOf(draft.listTypes),
      customItems: draft.customItems,
      shareUrl: draft.shareUrl.trim() || null,
      restoreDays: Number(draft.restoreDays),
    }),
    'The settings of lists are saved.',
  );
  return (
    <Card title="Lists">
      <SaveForm form={form} label="Save lists">
        <div class="columns">
          <div>
            <TextField
              label="Share URL"
              {...form.text('shareUrl')}
              placeholder="https://shop.example/list/{lid}"
              hint="What a shared list opens; {lid} stands for the list id. Empty: this service's own page."
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
          </div>
          <TextArea
            label="List types"
            rows={5}
            {...form.text('listTypes')}
            hint="Beyond wl and sfl, one a line: registry, for example."
          />
        </div>
      </SaveForm>
    </Card>
  );
}
