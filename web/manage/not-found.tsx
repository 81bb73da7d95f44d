import { Heading } from './parts/heading.tsx';

/** A path of the dashboard that leads nowhere. */
export function NotFound() {
  return (
    <>
      <Heading title="There is no such page" />
      <p>
        <a href="/manage">Go to the overview</a>
      </p>
    </>
  );
}
