/** A path of the dashboard that leads nowhere. */
export function NotFound() {
  return (
    <>
      <h1>There is no such page</h1>
      <p>
        <a href="/manage">Go to the overview</a>
      </p>
    </>
  );
}
