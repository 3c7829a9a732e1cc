import { parseArgs } from 'node:util';
import { GUARANTEES } from './guarantees.ts';
import { PROTOCOL_ERRORS } from './protocol-errors.ts';
import { simulate } from './simulate.ts';

const USAGE = `usage: npm run simulate -- --seeds 100000 [--from 0] [--plant NUMBER]
       npm run simulate -- --seed 4711 [--plant NUMBER]    prints what happened

--plant plants an error into the protocol, which the simulation must notice:
${PROTOCOL_ERRORS.map(({ name }, index) => `  ${index + 1}  ${name}`).join('\n')}`;

const { values } = parseArgs({
  options: {
    seed: { type: 'string' },
    seeds: { type: 'string' },
    from: { type: 'string', default: '0' },
    plant: { type: 'string' },
  },
});

const planted = PROTOCOL_ERRORS[Number(values.plant) - 1];
const options = planted === undefined ? {} : { protocolError: planted };

/** Runs one seed and prints its trace. */
async function replay(seed: number): Promise<void> {
  const { trace, broken } = await simulate(seed, { ...options, withTrace: true });
  console.log(trace.join('\n'));
  console.log(broken === null ? `seed ${seed}: every guarantee holds` : `seed ${seed}: ${broken.message}`);
  if (broken !== null) process.exitCode = 1;
}

/** Runs seeds until one breaks a guarantee. */
async function explore(from: number, count: number): Promise<void> {
  const started = process.cpuUsage();
  let imports = 0;
  for (let seed = from; seed < from + count; seed += 1) {
    const result = await simulate(seed, options);
    imports += result.imports;
    if (result.broken === null) continue;
    console.log(`seed ${seed} breaks ${result.broken.message}`);
    console.log(`${result.broken.guarantee}: ${GUARANTEES[result.broken.guarantee]}`);
    console.log(
      `To see it: npm run simulate -- --seed ${seed}${values.plant === undefined ? '' : ` --plant ${values.plant}`}`,
    );
    process.exitCode = 1;
    return;
  }
  const { user, system } = process.cpuUsage(started);
  const seconds = ((user + system) / 1_000_000).toFixed(1);
  console.log(
    `${count} seeds from ${from}, ${imports} imports: every guarantee holds (${seconds} s of processor time)`,
  );
}

if (values.seed !== undefined) await replay(Number(values.seed));
else if (values.seeds !== undefined) await explore(Number(values.from), Number(values.seeds));
else {
  console.error(USAGE);
  process.exitCode = 2;
}
