// Asks the registry for known weaknesses of what is installed: fails on high and critical ones. A registry that answers no audits, or cannot be
// reached, is named and is no failure: there is nothing that a change could do about it.
import { spawnSync } from 'node:child_process';

const { stdout, stderr } = spawnSync(
  'npm',
  ['audit', '--json', '--audit-level=high', ...process.argv.slice(2)],
  {
    encoding: 'utf8',
    timeout: 60_000,
  },
);

function read(text) {
  try {
    return JSON.parse(text);
  } catch {
    return {};
  }
}

const { metadata, vulnerabilities = {}, message, error } = read(stdout ?? '');
if (!metadata) {
  const [, answer] = /npm (?:warn|error) audit (.*)/.exec(stderr ?? '') ?? [];
  console.log(`Not audited: ${answer ?? message ?? error?.summary ?? 'the registry gave no answer'}`);
} else {
  const grave = Object.values(vulnerabilities).filter(({ severity }) =>
    ['high', 'critical'].includes(severity),
  );
  for (const { name, severity, via } of grave)
    console.error(`${name}: ${severity}: ${via.map((one) => one.title ?? one).join('; ')}`);
  console.log(`Audited: ${grave.length} high or critical, ${metadata.vulnerabilities.total} in all.`);
  if (grave.length > 0) process.exitCode = 1;
}
