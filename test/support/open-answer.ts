import http from 'node:http';

/** An answer whose headers have come, and whose body is not taken. */
export interface OpenAnswer {
  readonly status: number;
  hangUp(): void;
}

/** Begins to read an answer and then takes no more of it. */
export async function beginReading(
  address: URL,
  headers: Readonly<Record<string, string>>,
): Promise<OpenAnswer> {
  return new Promise((resolve, reject) => {
    const request = http.get(address, { headers, agent: false }, (response) => {
      response.pause();
      resolve({ status: response.statusCode ?? 0, hangUp: () => request.destroy() });
    });
    request.on('error', (error) => {
      if (!request.destroyed) reject(error);
    });
  });
}
