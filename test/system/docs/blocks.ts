import { readFile } from 'node:fs/promises';

/** The code blocks of a page in this language. */
export async function blocksOf(page: string, language: string): Promise<string[]> {
  const fence = new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\`$`, 'gm');
  const text = await readFile(new URL(`../../../docs/${page}`, import.meta.url), 'utf8');
  return [...text.matchAll(fence)].map(([, code]) => code!);
}

const FILE_NAME = /^(?:\/\/|#) (\S+\.\w+)\n/;

/** The blocks that begin with the name of their file, by that name. */
export async function filesOf(page: string): Promise<Record<string, string>> {
  const blocks = [...(await blocksOf(page, 'ts')), ...(await blocksOf(page, 'graphql'))];
  return Object.fromEntries(
    blocks.flatMap((code) => {
      const [, name] = FILE_NAME.exec(code) ?? [];
      return name === undefined ? [] : [[name, code]];
    }),
  );
}

/** The operations that a reader can send as they are. */
export async function examplesOf(page: string): Promise<string[]> {
  return (await blocksOf(page, 'graphql')).filter((code) => !FILE_NAME.test(code));
}
