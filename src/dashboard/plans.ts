/** The limits of the plans, to compare. A test checks that they equal those of the service. */
import type { Plan } from './contract.ts';

export interface PlanFigures {
  rowsPerPeriod: number;
  requestsPerSecond: number;
}

/** From the smallest to the largest plan. */
export const PLANS: Record<Plan, PlanFigures> = {
  developer: { rowsPerPeriod: 500_000, requestsPerSecond: 10 },
  starter: { rowsPerPeriod: 5_000_000, requestsPerSecond: 50 },
  growth: { rowsPerPeriod: 50_000_000, requestsPerSecond: 200 },
  scale: { rowsPerPeriod: 500_000_000, requestsPerSecond: 1_000 },
};

export const PLAN_NAMES = Object.keys(PLANS) as Plan[];

export const titled = (plan: Plan): string => plan[0]!.toUpperCase() + plan.slice(1);
