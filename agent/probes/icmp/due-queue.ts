/** Something to be looked at again at a time. `dueUs` must not change while it is queued. */
export interface Due {
  dueUs: number;
}

/** A binary heap: the earliest first. */
export class DueQueue<T extends Due> {
  readonly #heap: T[] = [];

  get size(): number {
    return this.#heap.length;
  }

  first(): T | undefined {
    return this.#heap[0];
  }

  push(item: T): void {
    let at = this.#heap.push(item) - 1;
    while (at > 0) {
      const parent = (at - 1) >> 1;
      const above = this.#at(parent);
      if (above.dueUs <= item.dueUs) break;
      this.#heap[at] = above;
      at = parent;
    }
    this.#heap[at] = item;
  }

  pop(): T | undefined {
    const first = this.#heap[0];
    const last = this.#heap.pop();
    if (last !== undefined && this.#heap.length > 0) this.#sink(last);
    return first;
  }

  clear(): void {
    this.#heap.length = 0;
  }

  #sink(item: T): void {
    const size = this.#heap.length;
    let at = 0;
    for (let child = 1; child < size; child = 2 * at + 1) {
      if (child + 1 < size && this.#at(child + 1).dueUs < this.#at(child).dueUs) child += 1;
      const below = this.#at(child);
      if (below.dueUs >= item.dueUs) break;
      this.#heap[at] = below;
      at = child;
    }
    this.#heap[at] = item;
  }

  #at(index: number): T {
    // Every index used is within the heap by its shape.
    return this.#heap[index] as T;
  }
}
