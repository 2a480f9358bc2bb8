import { loadEnvFile } from '../config.ts';
import { runCli } from './run.ts';

loadEnvFile();
const { status, stdout, stderr } = await runCli(process.argv.slice(2));
process.stderr.write(stderr);
process.stdout.write(stdout);
process.exitCode = status;
