import type { AlertTexts, Part } from '../send/channels.ts';
import type { Digest } from './template.job.ts';
import type { AlertModel } from './template.rules.ts';

export type RenderBudget = { leftMs: number };

export type RenderRequest<Name extends Part> = {
  pid: string;
  texts: Pick<AlertTexts, Name> & Partial<AlertTexts>;
  parts: readonly Name[];
  model: AlertModel;
  budget?: RenderBudget;
  /** Whether the texts become part of a digest and get no footer of their own. */
  isBare?: boolean;
};

export type JoinRequest<Name extends Part> = { pid: string; parts: readonly Name[]; digest: Digest };

/** Renders messages in a separate process, with stores scheduled round-robin. */
export type Renderer = {
  /** Rejects with a `TemplateError` if the template is to blame. */
  render: <Name extends Part>(request: RenderRequest<Name>) => Promise<Pick<AlertTexts, Name>>;
  join: <Name extends Part>(request: JoinRequest<Name>) => Promise<Pick<AlertTexts, Name>>;
  close: () => void;
};
