/** One stage of a Dockerfile: what it starts from, and its instructions in order. */
export interface DockerStage {
  readonly from: string;
  readonly name: string | null;
  readonly steps: readonly DockerStep[];
}

export interface DockerStep {
  readonly instruction: string;
  readonly text: string;
}

/** A `COPY`: from which stage (null: the build's context), the sources, and the target. */
export interface DockerCopy {
  readonly from: string | null;
  readonly sources: readonly string[];
  readonly target: string;
}

/** Reads a Dockerfile of one-line instructions. */
export function readDockerfile(text: string): readonly DockerStage[] {
  const stages: { from: string; name: string | null; steps: DockerStep[] }[] = [];
  for (const line of text.split('\n')) {
    if (line === '' || line.startsWith('#')) continue;
    const [, instruction = '', rest = ''] = /^([A-Z]+) (.*)$/.exec(line) ?? [];
    if (instruction === 'FROM') {
      const [from = '', , name = null] = rest.split(' ');
      stages.push({ from, name, steps: [] });
    } else {
      stages.at(-1)?.steps.push({ instruction, text: rest });
    }
  }
  return stages;
}

/** The copies of a stage, in order. */
export function copiesOf(stage: DockerStage): readonly DockerCopy[] {
  return textsOf(stage, 'COPY').map((text) => {
    const words = text.split(' ');
    const from = words[0]?.startsWith('--from=') === true ? (words.shift() ?? '').slice(7) : null;
    return { from, sources: words.slice(0, -1), target: words.at(-1) ?? '' };
  });
}

/** The arguments of an instruction, for each time that a stage has it. */
export function textsOf(stage: DockerStage, instruction: string): readonly string[] {
  return stage.steps.filter((step) => step.instruction === instruction).map((step) => step.text);
}
