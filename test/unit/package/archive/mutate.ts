/** A stream of numbers in [0, 1) that is the same for the same seed (mulberry32). */
function randomFrom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

type Random = () => number;

const INTERESTING = [
  0, 1, 2, 3, 7, 8, 9, 12, 16, 20, 63, 99, 127, 128, 255, 256, 0x7fff, 0x8000, 0xfffe, 0xffff, 0x7fffffff,
  0xffffffff,
];

/** Fields that a central header and its local header have in common: central offset, local offset, width. */
const TWIN_FIELDS = [
  [6, 4, 2],
  [8, 6, 2],
  [10, 8, 2],
  [12, 10, 4],
  [16, 14, 4],
  [20, 18, 4],
  [24, 22, 4],
  [28, 26, 2],
] as const;

/** All fields of a central header: offset, width. */
const CENTRAL_FIELDS = [
  [4, 2],
  [6, 2],
  [8, 2],
  [10, 2],
  [16, 4],
  [20, 4],
  [24, 4],
  [28, 2],
  [30, 2],
  [32, 2],
  [34, 2],
  [36, 2],
  [38, 4],
  [42, 4],
] as const;

function below(random: Random, limit: number): number {
  return Math.floor(random() * limit);
}

function pick<T>(random: Random, items: readonly T[]): T {
  const item = items[below(random, items.length)];
  if (item === undefined) throw new RangeError('nothing to pick from');
  return item;
}

function everyIndexOf(bytes: Buffer, mark: string): number[] {
  const found: number[] = [];
  for (let at = bytes.indexOf(mark, 0, 'latin1'); at !== -1; at = bytes.indexOf(mark, at + 1, 'latin1'))
    found.push(at);
  return found;
}

function write(bytes: Buffer, at: number, width: 1 | 2 | 4, value: number): void {
  if (at >= 0 && at + width <= bytes.length) bytes.writeUIntLE(value % 2 ** (8 * width), at, width);
}

function newValue(random: Random, old: number): number {
  const kind = random();
  if (kind < 0.3) return pick(random, INTERESTING);
  if (kind < 0.6) return (old ^ (1 << below(random, 32))) >>> 0;
  if (kind < 0.8) return Math.max(0, old + below(random, 41) - 20);
  return Math.floor(random() * 2 ** 32);
}

type Mutation = (bytes: Buffer, random: Random, others: readonly Buffer[]) => Buffer;

const flipBit: Mutation = (bytes, random) => {
  const at = below(random, bytes.length);
  bytes[at] = (bytes[at] ?? 0) ^ (1 << below(random, 8));
  return bytes;
};

const setBytes: Mutation = (bytes, random) => {
  const width = pick(random, [1, 2, 4] as const);
  write(bytes, below(random, bytes.length), width, newValue(random, 0));
  return bytes;
};

const setCentralField: Mutation = (bytes, random) => {
  const record = pick(random, [0, ...everyIndexOf(bytes, 'PK\x01\x02')]);
  const [at, width] = pick(random, CENTRAL_FIELDS);
  if (record + at + width <= bytes.length)
    write(bytes, record + at, width, newValue(random, bytes.readUIntLE(record + at, width)));
  return bytes;
};

const setEndField: Mutation = (bytes, random) => {
  const record = bytes.lastIndexOf('PK\x05\x06', undefined, 'latin1');
  const [at, width] = pick(random, [
    [4, 2],
    [6, 2],
    [8, 2],
    [10, 2],
    [12, 4],
    [16, 4],
    [20, 2],
  ] as const);
  if (record >= 0 && record + at + width <= bytes.length) {
    write(bytes, record + at, width, newValue(random, bytes.readUIntLE(record + at, width)));
  }
  return bytes;
};

/** The same false value in both headers, so that only the data can contradict it. */
const setTwinField: Mutation = (bytes, random) => {
  const record = pick(random, [0, ...everyIndexOf(bytes, 'PK\x01\x02')]);
  if (record + 46 > bytes.length) return bytes;
  const local = bytes.readUInt32LE(record + 42);
  const [centralAt, localAt, width] = pick(random, TWIN_FIELDS);
  const value = newValue(random, bytes.readUIntLE(record + centralAt, width));
  write(bytes, record + centralAt, width, value);
  write(bytes, local + localAt, width, value);
  return bytes;
};

/** Another byte in a name, in both headers. */
const setTwinName: Mutation = (bytes, random) => {
  const record = pick(random, [0, ...everyIndexOf(bytes, 'PK\x01\x02')]);
  if (record + 46 > bytes.length) return bytes;
  const at = below(random, Math.max(1, bytes.readUInt16LE(record + 28)));
  const value = random() < 0.5 ? pick(random, [...Buffer.from('/.\\: aA\0~')]) : below(random, 256);
  write(bytes, record + 46 + at, 1, value);
  write(bytes, bytes.readUInt32LE(record + 42) + 30 + at, 1, value);
  return bytes;
};

const remove: Mutation = (bytes, random) => {
  const at = below(random, bytes.length);
  const length = 1 + below(random, random() < 0.7 ? 8 : bytes.length);
  return Buffer.concat([bytes.subarray(0, at), bytes.subarray(at + length)]);
};

const insert: Mutation = (bytes, random, others) => {
  const at = below(random, bytes.length + 1);
  const other = pick(random, [bytes, ...others]);
  const from = below(random, other.length);
  const part = other.subarray(from, from + 1 + below(random, random() < 0.7 ? 40 : other.length));
  return Buffer.concat([bytes.subarray(0, at), part, bytes.subarray(at)]);
};

const overwrite: Mutation = (bytes, random, others) => {
  const other = pick(random, [bytes, ...others]);
  const from = below(random, other.length);
  Buffer.from(other.subarray(from, from + 1 + below(random, 60))).copy(bytes, below(random, bytes.length));
  return bytes;
};

const cutOff: Mutation = (bytes, random) => bytes.subarray(0, below(random, bytes.length));

const append: Mutation = (bytes, random, others) =>
  Buffer.concat([bytes, pick(random, others).subarray(-1 - below(random, 200))]);

const swapRecords: Mutation = (bytes, random) => {
  const records = everyIndexOf(bytes, 'PK\x01\x02');
  if (records.length < 2) return bytes;
  const [one, two] = [pick(random, records), pick(random, records)];
  const first = Buffer.from(bytes.subarray(one, one + 46));
  bytes.copy(bytes, one, two, two + 46);
  first.copy(bytes, two);
  return bytes;
};

const MUTATIONS: readonly Mutation[] = [
  flipBit,
  flipBit,
  setBytes,
  setBytes,
  setCentralField,
  setCentralField,
  setCentralField,
  setEndField,
  setTwinField,
  setTwinField,
  setTwinField,
  setTwinName,
  setTwinName,
  remove,
  insert,
  overwrite,
  cutOff,
  append,
  swapRecords,
];

/** A mutant of one of the archives: the same for the same seed and number. */
export function mutant(archives: readonly Buffer[], seed: number, number: number): Buffer {
  const random = randomFrom(Math.imul(seed, 0x9e3779b1) ^ Math.imul(number + 1, 0x85ebca6b));
  let bytes = Buffer.from(pick(random, archives));
  const changes = pick(random, [1, 1, 1, 2, 2, 3]);
  for (let change = 0; change < changes && bytes.length > 0; change++) {
    bytes = Buffer.from(pick(random, MUTATIONS)(bytes, random, archives));
  }
  return bytes;
}
