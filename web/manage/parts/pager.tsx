interface Props {
  page: number;
  total: number;
  limit: number;
  onTurn: (page: number) => void;
}

/** Leads through a list that comes in parts; nothing where one part holds it. */
export function Pager({ page, total, limit, onTurn }: Props) {
  const last = Math.max(1, Math.ceil(total / limit));
  if (last === 1) return null;
  return (
    <nav class="pager" aria-label="Pages of the list">
      <button type="button" class="quiet" disabled={page <= 1} onClick={() => onTurn(page - 1)}>
        Previous
      </button>
      <span>
        {page} of {last}
      </span>
      <button type="button" class="quiet" disabled={page >= last} onClick={() => onTurn(page + 1)}>
        Next
      </button>
    </nav>
  );
}
