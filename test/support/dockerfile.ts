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

/** The arguments of an instruction, for each time that a stage has it. */
export function textsOf(stage: DockerStage, instruction: string): readonly string[] {
  return stage.steps.filter((step) => step.instruction === instruction).map((step) => step.text);
}
