import { useState } from 'preact/hooks';
import type { StoreSettingsFragment, UpdateStoreInput } from '../../../generated/dashboard.ts';
import { Choice, TextField } from './fields.tsx';
import { SaveForm } from './form.tsx';
import { Card } from './layout.tsx';
import { useStoreForm } from './store-settings.tsx';

const FIELDS = ['logoUrl', 'colour', 'senderName', 'senderAddress', 'currency', 'locale'] as const;

type Draft = Record<(typeof FIELDS)[number], string>;

const draftOf = (store: StoreSettingsFragment): Draft =>
  Object.fromEntries(FIELDS.map((field) => [field, store[field] ?? ''])) as Draft;

const inputOf = (draft: Draft): UpdateStoreInput => ({
  ...Object.fromEntries(FIELDS.map((field) => [field, draft[field].trim() || null])),
  locale: draft.locale.trim() || 'en',
});

const names = new Intl.DisplayNames('en', { type: 'currency' });

/** The currencies that this browser knows, and the one that is set. */
function currencyOptions(chosen: string): { value: string; label: string }[] {
  const codes = new Set([...Intl.supportedValuesOf('currency'), ...(chosen ? [chosen] : [])]);
  const options = [...codes].map((code) => ({ value: code, label: `${code} – ${names.of(code) ?? code}` }));
  return [{ value: '', label: 'None: prices are plain numbers' }, ...options];
}

const DEFAULT_COLOUR = '#1f2937';
const colourOf = (text: string): string =>
  /^#[\da-f]{6}$/i.test(text.trim()) ? text.trim() : DEFAULT_COLOUR;

/** Black or white, whichever can be read on a colour (WCAG 2). */
function textOn(colour: string): string {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => {
    const share = parseInt(colour.slice(at, at + 2), 16) / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue > 0.1791 ? '#000000' : '#ffffff';
}

/** A price as the service will write it; a locale that is being typed may be none yet. */
function priceIn({ currency, locale }: Draft): string {
  const style = currency ? ({ style: 'currency', currency } as const) : { minimumFractionDigits: 2 };
  try {
    return new Intl.NumberFormat(locale.trim() || 'en', style).format(1234.5);
  } catch {
    return '–';
  }
}

function Preview({ draft, name }: { draft: Draft; name: string }) {
  const [broken, setBroken] = useState('');
  const logo = draft.logoUrl.trim();
  const isShown = /^https:\/\/./.test(logo) && logo !== broken;
  const colour = colourOf(draft.colour);
  return (
    <figure class="brand-preview">
      <figcaption class="muted">What an alert looks like</figcaption>
      <p class="brand-from">
        <strong>{draft.senderName.trim() || name}</strong>
        {draft.senderAddress.trim() && <span class="muted">, answers to {draft.senderAddress.trim()}</span>}
      </p>
      <div class="brand-mail">
        <div class="brand-head">
          {isShown ? <img src={logo} alt={name} onError={() => setBroken(logo)} /> : name}
        </div>
        <div class="brand-card">
          <p class="brand-title">Linen shirt is back in stock</p>
          <p>
            <strong>{priceIn(draft)}</strong>
          </p>
          <span class="brand-button" style={{ background: colour, color: textOn(colour) }}>
            See it at {name}
          </span>
        </div>
      </div>
      {logo === broken && logo !== '' && (
        <p class="field-error" role="status">
          The logo could not be loaded: messages show the name where it cannot be.
        </p>
      )}
    </figure>
  );
}

type Props = { store: StoreSettingsFragment; onSaved: (store: StoreSettingsFragment) => void };

export function BrandCard(props: Props) {
  const form = useStoreForm(props, draftOf, inputOf, 'The brand is saved.');
  const { draft, set } = form;
  return (
    <Card
      title="Brand"
      note="What shoppers receive: mails, text messages, and the pages behind their links. The time zone is under “When alerts leave”."
    >
      <SaveForm form={form} label="Save brand">
        <div class="columns">
          <div>
            <TextField
              label="Logo"
              type="url"
              maxLength={1000}
              {...form.text('logoUrl')}
              placeholder="https://shop.example/logo.png"
              hint="Address of a picture, https, shown 40 pixels high. Empty: the store's name."
            />
            <div class="brand-colour">
              <TextField
                label="Colour of buttons"
                maxLength={7}
                spellcheck={false}
                {...form.text('colour')}
                placeholder={DEFAULT_COLOUR}
              />
              <input
                type="color"
                aria-label="Pick a colour"
                value={colourOf(draft.colour)}
                onInput={(event) => set({ colour: event.currentTarget.value })}
              />
            </div>
            <TextField
              label="Sender name"
              maxLength={100}
              {...form.text('senderName')}
              placeholder={props.store.name}
              hint="Mails come from this name."
            />
            <TextField
              label="Sender address"
              type="email"
              {...form.text('senderAddress')}
              placeholder="hello@shop.example"
              hint="Answers go here. With a mail server of your own, mails come from it."
            />
            <div class="field-row">
              <Choice label="Currency" {...form.text('currency')} options={currencyOptions(draft.currency)} />
              <TextField
                label="Language and country"
                maxLength={35}
                spellcheck={false}
                {...form.text('locale')}
                placeholder="en"
                hint="How prices are written: en, de-CH, pt-BR."
              />
            </div>
          </div>
          <Preview draft={draft} name={props.store.name} />
        </div>
      </SaveForm>
    </Card>
  );
}
