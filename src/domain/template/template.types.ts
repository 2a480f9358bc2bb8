import type { AlertTexts, Part } from '../../channel/channels.ts';
import type { AlertModel } from './template.rules.ts';

/** Time of a processor that everything a request renders has together. */
export type RenderBudget = { leftMs: number };

/** A message to render; `parts` are those that will be sent. */
export type RenderRequest<Name extends Part> = {
  pid: string;
  texts: Pick<AlertTexts, Name> & Partial<AlertTexts>;
  parts: readonly Name[];
  model: AlertModel;
  budget?: RenderBudget;
};

/** Renders messages in a process of its own, store by store in turn. */
export type Renderer = {
  /** The finished parts; fails with a TemplateError where the template is to blame. */
  render: <Name extends Part>(request: RenderRequest<Name>) => Promise<Pick<AlertTexts, Name>>;
  close: () => void;
};
