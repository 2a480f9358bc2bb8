import { useState } from 'preact/hooks';
import { RowField } from './fields.tsx';
import { SettingsCard, rowsOf } from './store-settings.tsx';
import type { StoreProps } from './store-settings.tsx';

type Draft = Record<'logoUrl' | 'colour' | 'senderName' | 'senderAddress' | 'currency' | 'locale', string>;

const DEFAULT_COLOUR = '#1f2937';
const colourOf = (text: string): string =>
  /^#[\da-f]{6}$/i.test(text.trim()) ? text.trim() : DEFAULT_COLOUR;

/** Chooses black or white by contrast (WCAG 2). */
function textOn(colour: string): string {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => {
    const share = parseInt(colour.slice(at, at + 2), 16) / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue > 0.1791 ? '#000000' : '#ffffff';
}

/** Formats a price as the service does; a locale is invalid while the user is typing it. */
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

export function BrandCard(props: StoreProps) {
  const { name } = props.store;
  return (
    <SettingsCard card="brand" {...props}>
      {(form) => {
        const draft = form.draft as Draft;
        const fieldsOf = (isRegion: boolean) =>
          rowsOf('brand')
            .filter((row) => isRegion === (row.name === 'currency' || row.name === 'locale'))
            .map((row) => {
              const placeholder = row.name === 'senderName' ? name : undefined;
              const field = <RowField key={row.name} row={row} form={form} placeholder={placeholder} />;
              if (row.name !== 'colour') return field;
              return (
                <div key={row.name} class="brand-colour">
                  {field}
                  <input
                    type="color"
                    aria-label="Pick a colour"
                    value={colourOf(draft.colour)}
                    onInput={(event) => form.set({ colour: event.currentTarget.value })}
                  />
                </div>
              );
            });
        return (
          <div class="columns">
            <div>
              {fieldsOf(false)}
              <div class="field-row">{fieldsOf(true)}</div>
            </div>
            <Preview draft={draft} name={name} />
          </div>
        );
      }}
    </SettingsCard>
  );
}
