import { existsSync } from 'node:fs';
import { startUnreliableSmtp } from '../dispatch/crash.ts';
import { makeDataDir, cleanUp } from '../fault/fixtures/embedded-kit.ts';
import { noteFigures } from '../figures.ts';
import { startCluster } from '../parts/cluster.ts';
import { askPostgres } from '../parts/postgres.ts';
import { describeWith } from '../parts/parts.ts';
import { inFull } from '../tier.ts';
import { until } from '../until.ts';
