/** A list of names and values. */
import type { ComponentChildren } from 'preact';

export const Facts = ({
  facts,
}: {
  facts: readonly (readonly [name: string, value: ComponentChildren])[];
}) => (
  <dl class="facts">
    {facts.map(([name, value]) => (
      <div key={name}>
        <dt>{name}</dt>
        <dd>{value}</dd>
      </div>
    ))}
  </dl>
);
