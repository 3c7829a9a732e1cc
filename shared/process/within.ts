/** The promise's result, or an error when it takes longer. The work behind the promise goes on. */
export async function within<Result>(
  timeoutMs: number,
  pending: Promise<Result>,
  lateError = () => new Error('no answer in time'),
): Promise<Result> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(lateError()), timeoutMs);
  });
  try {
    return await Promise.race([pending, late]);
  } finally {
    clearTimeout(timer);
  }
}
