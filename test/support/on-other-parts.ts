/** Tests that depend on the queue's back end, on the storage, or on limits that processes count together in Redis. */
const NAMES = `
  attempt-pairs bad-uploads collection-and-import deadlines doctor export export-long export-ranges failed-imports
  fair-downloads gone-import graceful-stop group-cancellation group-locks group-slots import import-calls import-groups import-priority
  killed-groups log-traces lost-answers machine-limits metrics module-files module-files-gzip nothing-left
  organization-deletion probe-storage queue-dashboard readiness release-pairs revision-deletion served-content
  shared-storage slow-clients stale-attempts storage storage-away storage-credentials storage-quota storage-requests
  trusted-publishing webhook-deliveries`;

/** The files of the inner circle that the outer one runs again, on Redis and S3, and those that it alone runs. */
export const ON_OTHER_PARTS = [
  ...NAMES.trim()
    .split(/\s+/)
    .map((name) => `test/integration/${name}.test.ts`),
  'test/outer/production/**/*.test.ts',
  'test/outer/processes/{waiting-processes,killed-worker,traces}.test.ts',
];
