/** What the plans allow, for people to compare: the figures of the service's own plans, which a test holds them to. */
import type { Plan } from './contract.ts';

export interface PlanFigures {
  rowsPerPeriod: number;
  requestsPerSecond: number;
}

/** From the smallest to the largest. */
export const PLANS: Record<Plan, PlanFigures> = {
  developer: { rowsPerPeriod: 500_000, requestsPerSecond: 10 },
  starter: { rowsPerPeriod: 5_000_000, requestsPerSecond: 50 },
  growth: { rowsPerPeriod: 50_000_000, requestsPerSecond: 200 },
  scale: { rowsPerPeriod: 500_000_000, requestsPerSecond: 1_000 },
};

export const PLAN_NAMES = Object.keys(PLANS) as Plan[];

export const titled = (plan: Plan): string => plan[0]!.toUpperCase() + plan.slice(1);
