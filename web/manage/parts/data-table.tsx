import type { ComponentChildren } from 'preact';

export interface Column<Row> {
  title: string;
  cell: (row: Row) => ComponentChildren;
  /** `actions`: its buttons speak for themselves, so its title is only read out. */
  kind?: 'number' | 'actions';
}

interface Props<Row> {
  /** What the rows are, for those who listen. */
  label: string;
  /** The first one names its row. */
  columns: readonly Column<Row>[];
  rows: readonly Row[];
  keyOf: (row: Row) => string | number;
}

/** Rows of things with their members in columns; on a phone each row is a card. */
export function DataTable<Row>({ label, columns, rows, keyOf }: Props<Row>) {
  const [head, ...others] = columns;
  return (
    <div class="card table-box">
      <table class="data-table" aria-label={label}>
        <thead>
          <tr>
            {columns.map(({ title, kind }) => (
              <th key={title} scope="col" class={kind}>
                {kind === 'actions' ? <span class="unseen">{title}</span> : title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={keyOf(row)}>
              <th scope="row">{head?.cell(row)}</th>
              {others.map(({ title, kind, cell }) => (
                <td key={title} class={kind} data-label={kind === 'actions' ? undefined : title}>
                  {cell(row)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
