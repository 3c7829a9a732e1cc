import http from 'node:http';

/** An answer whose headers have arrived, and whose body is not read. */
export interface OpenAnswer {
  readonly status: number;
  hangUp(): void;
}

/** Starts to read an answer and then stops reading. */
export async function startReading(
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
