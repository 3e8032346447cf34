/** Types of columns. */
import { customType } from 'drizzle-orm/sqlite-core';

/** An integer below 2^53. Postgres returns it as text. */
export const whole = customType<{ data: number; driverData: number | string }>({
  dataType: () => 'integer',
  fromDriver: Number,
});
