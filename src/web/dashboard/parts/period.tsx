import { formatChange, formatDay } from '../format.ts';
import { moveTo, useRoute } from '../route.ts';
import { t } from '../text.ts';
import { Segments, TextField } from './fields.tsx';

const DEFAULT = '30';
const CUSTOM = 'custom';
/** While a year is being typed, the browser reports years such as 0002. */
const FIRST_DAY = '2000-01-01';

/** The chosen period, which the URL keeps: a number of days up to today, or two days. `shown` is the one on the page; a custom range starts with it. */
export function usePeriod(presets: readonly string[]) {
  const { days = '', from = '', to = '' } = useRoute().query;
  const isCustom = from !== '' || to !== '';
  const preset = presets.includes(days) ? days : DEFAULT;
  const fields = isCustom
    ? { days: null, from: from || null, to: to || null }
    : { days: Number(preset), from: null, to: null };
  const picker = (shown: { from: string; to: string } | undefined) => {
    const choose = (value: string): void => {
      if (value === CUSTOM) moveTo({ days: '', from: shown?.from ?? '', to: shown?.to ?? '' });
      else moveTo({ days: value === DEFAULT ? '' : value, from: '', to: '' });
    };
    const day = (name: 'from' | 'to') => (value: string) => {
      if (value === '' || value >= FIRST_DAY) moveTo({ [name]: value }, { replace: true });
    };
    return (
      <div class="period">
        <Segments
          label={t('period.label')}
          value={isCustom ? CUSTOM : preset}
          options={[
            ...presets.map((count) => ({ value: count, label: t('period.days', { days: Number(count) }) })),
            { value: CUSTOM, label: t('period.custom') },
          ]}
          onValue={choose}
        />
        {isCustom && (
          <div class="filters">
            <TextField label={t('period.from')} type="date" max={to} value={from} onValue={day('from')} />
            <TextField label={t('period.to')} type="date" min={from} value={to} onValue={day('to')} />
          </div>
        )}
      </div>
    );
  };
  return { fields, picker };
}

export const DAY = {
  label: 'revenue.day' as const,
  cell: ({ day }: { day: string }) => <time dateTime={day}>{formatDay(day)}</time>,
};

type ChangeProps = { now: number; before: number; days: number; isBrief?: boolean };

/** "+12% vs. previous 30 days", in brief "+12%", or a note where the period before has none. */
export function Change({ now, before, days, isBrief = false }: ChangeProps) {
  if (now === 0 && before === 0) return null;
  const change = formatChange(now, before);
  const text = change === null ? t('period.new') : t('period.change', { change, days });
  if (!isBrief || change === null) return <span class="muted">{text}</span>;
  return (
    <span class="muted" title={text}>
      <span aria-hidden="true">{change}</span>
      <span class="visually-hidden">{text}</span>
    </span>
  );
}
