// placeholder until the real one is written
export async function dropExpiredSessions(_: unknown): Promise<void> {}
