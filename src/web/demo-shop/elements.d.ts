import type { ClassAttributes, HTMLAttributes } from 'preact';
import type { ElementAttributes } from '../../../packages/elements/src/types.ts';

type Elements = {
  [Tag in keyof ElementAttributes]: ElementAttributes[Tag] &
    ClassAttributes<HTMLElementTagNameMap[Tag]> &
    Omit<HTMLAttributes<HTMLElementTagNameMap[Tag]>, keyof ElementAttributes[Tag]>;
};

declare module 'preact' {
  namespace JSX {
    // oxlint-disable-next-line typescript/consistent-type-definitions, typescript/no-empty-object-type
    interface IntrinsicElements extends Elements {}
  }
}
