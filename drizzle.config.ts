/** For `npx drizzle-kit@0.31.11 generate`. The tool is no dependency: it would install three esbuilds with scripts of their own. */
export default {
  dialect: 'sqlite',
  schema: ['./src/stores/sql/schema.ts', './src/stores/sql/batch-schema.ts'],
  out: './src/stores/sql/migrations',
};
