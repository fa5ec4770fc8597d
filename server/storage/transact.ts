import type { SqlDriver, Statements } from './sql-database.ts';

/** Runs each statement by itself, on whichever connection is free. */
export function singly(driver: SqlDriver): Statements {
  return {
    run: async (statement) => {
      const connection = await driver.acquireConnection();
      try {
        return await connection.run(statement);
      } finally {
        await driver.releaseConnection(connection);
      }
    },
  };
}

/** Runs `work` in one transaction, which is undone when `work` rejects. The statements of `work` end with the transaction. */
export async function transact<Result>(
  driver: SqlDriver,
  work: (statements: Statements) => Promise<Result>,
): Promise<Result> {
  const connection = await driver.acquireConnection();
  let hasEnded = false;
  try {
    await driver.beginTransaction(connection, {});
    try {
      const result = await work({
        run: async (statement) => {
          if (hasEnded) throw new Error('The transaction of this statement has ended.');
          return connection.run(statement);
        },
      });
      hasEnded = true;
      await driver.commitTransaction(connection);
      return result;
    } catch (error) {
      hasEnded = true;
      await driver.rollbackTransaction(connection);
      throw error;
    }
  } finally {
    await driver.releaseConnection(connection);
  }
}
