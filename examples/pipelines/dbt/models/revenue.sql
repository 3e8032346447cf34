select currency, count(*) as orders from {{ ref('orders_checked') }} group by currency
