import type { AlertTexts, Part } from '../send/channels.ts';
import type { Digest } from './template.job.ts';
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
  /** Whether the texts will be joined with others, and so get no footer of their own. */
  isBare?: boolean;
};

/** Several rendered alerts that become one message. */
export type JoinRequest<Name extends Part> = { pid: string; parts: readonly Name[]; digest: Digest };

/** Renders messages in a process of its own, store by store in turn. */
export type Renderer = {
  /** The finished parts; fails with a TemplateError where the template is to blame. */
  render: <Name extends Part>(request: RenderRequest<Name>) => Promise<Pick<AlertTexts, Name>>;
  /** The finished parts of one message with all of them. */
  join: <Name extends Part>(request: JoinRequest<Name>) => Promise<Pick<AlertTexts, Name>>;
  close: () => void;
};
