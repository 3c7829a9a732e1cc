/** The seconds that the service may need to work again once its part is back. */
export const MAX_RECOVERY_SECONDS = Number(process.env['FAULT_RECOVERY_SECONDS'] ?? 10);

/** Whether times are checked. They are only reported where that setting is 0, for a machine that is busy with other work. */
export const IS_TIMED = MAX_RECOVERY_SECONDS > 0;
