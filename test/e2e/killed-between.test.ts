import { describe } from 'bun:test';
import { killedBetween } from './killed-between.ts';

describe('on SQLite', () => killedBetween(async () => ({})));
