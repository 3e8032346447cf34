import { defineConfig } from 'drizzle-kit';

export default defineConfig({
  dialect: 'sqlite',
  schema: './src/stores/sql/schema.ts',
  out: './src/stores/sql/migrations',
});
